// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/** The activity in the slots of one replica, in all its controllers. */
public interface SlotActivity {

  /** No attempt and no write. */
  SlotActivity NONE =
      new SlotActivity() {
        @Override
        public int attempts(int slot) {
          return 0;
        }

        @Override
        public int unanswered(int slot) {
          return 0;
        }

        @Override
        public long lastUnanswered(int slot) {
          return 0;
        }
      };

  /** Returns how many attempts run in the slot, abandoned ones included. */
  int attempts(int slot);

  /** Returns how many writes of the slot have no answer, those given up included. */
  int unanswered(int slot);

  /** Returns when the last of them was sent; any value when there is none. */
  long lastUnanswered(int slot);
}
