using System;

namespace PAT.Lib
{
    /// What postman and wife compare. Stamps only grow; who has the larger one told last.
    public class Mailbox
    {
        /// The round in which to compare next: later than the last, and not far behind the other.
        public static int nextRound(int mine, int other)
        {
            return Math.Max(mine + 1, other - 1);
        }

        /// A stamp that is newer than that of the other flag and that of the last note seen.
        public static int nextStamp(int seen, int flag)
        {
            int newest = flag;
            if (dominate(seen, flag))
            {
                newest = seen;
            }
            return newest + 1;
        }

        /// Is the first stamp the newer one?
        public static bool dominate(int a, int b)
        {
            return a > b;
        }

        /// 1 if the own count is not what the other one noted, and 0 if it is.
        public static int differ(int[] count, int me, int noted)
        {
            return count[me] != noted ? 1 : 0;
        }
    }
}
