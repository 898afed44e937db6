using System.Collections.Generic;
using PAT.Common.Classes.Expressions.ExpressionClass;

namespace PAT.Lib
{
    /// Messages that wait, at most so many; more are counted and lost.
    public class LetterboxLast : ExpressionValue
    {
        private List<int> messages = new List<int>();
        private int room;
        public int lost;

        public LetterboxLast()
        {
            room = 1;
        }

        public LetterboxLast(int room)
        {
            this.room = room;
        }

        public void Put(int message)
        {
            if (messages.Count < room)
            {
                messages.Add(message);
            }
            else if (lost < 3)
            {
                lost++;
            }
        }

        public bool IsEmpty()
        {
            return messages.Count == 0;
        }

        /// The newest one.
        public int Next()
        {
            return messages[messages.Count - 1];
        }

        public void Drop()
        {
            messages.RemoveAt(messages.Count - 1);
        }

        public override ExpressionValue GetClone()
        {
            LetterboxLast copy = new LetterboxLast(room);
            foreach (int message in messages)
            {
                copy.messages.Add(message);
            }
            copy.lost = lost;
            return copy;
        }

        public override string ExpressionID
        {
            get
            {
                string text = room + ":" + lost;
                foreach (int message in messages)
                {
                    text += "," + message;
                }
                return text;
            }
        }

        public override string ToString()
        {
            return "[" + ExpressionID + "]";
        }
    }
}
