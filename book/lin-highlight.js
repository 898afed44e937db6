// Colours for the listings of this book. mdBook brings highlight.js, which does not know the language.
// The lists of words are compared with those of the program by `cargo test -p linchpin-lsp --test editors`.

(function () {
  "use strict";
  if (typeof hljs === "undefined") {
    return;
  }

  const keyword =
    "op fn var let new if else while loop for in break continue return assert assume await atomic either or match " +
    "choose free self threads as use " +
    "object spec check against init const param type data enum struct node memory";
  const literal = "true false null empty";
  const built_in = "bool int thread lock seq set bag map cas cas_value weak_cas dcas swap fetch_add fetch_and fetch_or fetch_xor ll sc vl unlock try_lock condition wait signal broadcast";

  hljs.registerLanguage("lin", function (hljs) {
    return {
      name: "Linchpin",
      aliases: ["linchpin"],
      keywords: { keyword: keyword, literal: literal, built_in: built_in },
      contains: [
        hljs.C_LINE_COMMENT_MODE,
        hljs.COMMENT("/\\*", "\\*/", { contains: ["self"] }),
        { className: "number", begin: "\\b[0-9][0-9_]*\\b", relevance: 0 },
        // After a dot any word is a name.
        { begin: "\\.[A-Za-z_][A-Za-z0-9_]*", relevance: 0 },
        {
          begin: "\\b(op|fn)\\s+",
          end: "(?=\\()",
          keywords: "op fn",
          contains: [{ className: "title", begin: "[A-Za-z_][A-Za-z0-9_]*", relevance: 0 }],
        },
      ],
    };
  });

  // The page was coloured before this script was loaded.
  const highlight = hljs.highlightBlock || hljs.highlightElement;
  document.querySelectorAll("code.language-lin").forEach(function (block) {
    highlight.call(hljs, block);
  });
})();
