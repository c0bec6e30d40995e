// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.view.CauseSnapshot;
import java.util.List;

/**
 * All causes of one replica in few bytes, for another replica that chooses those of the most items.
 *
 * @param controllers the controllers that could be read
 * @param unread the others
 */
public record CauseSums(List<OfController> controllers, List<String> unread) {

  public CauseSums {
    controllers = List.copyOf(controllers);
    unread = List.copyOf(unread);
  }

  /**
   * The causes of one controller.
   *
   * @param counts {@link #SIZE} bytes for each: 6 of the id, 4 of the number of items and 4 of the
   *     second since 1970 in which it was seen last. There may be ten thousand, which cost too much
   *     to read as single values of JSON
   */
  @SuppressWarnings("ArrayRecordComponent") // as JSON it is Base64, and nothing compares it
  public record OfController(String controller, byte[] counts) {

    private static final int ID = 6;
    private static final int SIZE = ID + 2 * Integer.BYTES;

    public OfController {
      if (counts.length % SIZE != 0) {
        throw new IllegalArgumentException("counts end within a cause");
      }
    }

    static OfController of(String controller, List<CauseSnapshot.Count> causes) {
      byte[] packed = new byte[causes.size() * SIZE];
      int at = 0;
      for (CauseSnapshot.Count cause : causes) {
        at = put(packed, at, cause.number(), ID);
        at = put(packed, at, cause.items(), Integer.BYTES);
        at = put(packed, at, cause.lastSeen().getEpochSecond(), Integer.BYTES);
      }
      return new OfController(controller, packed);
    }

    /** Stores the last bytes of a number; returns the index after them. */
    private static int put(byte[] packed, int at, long value, int bytes) {
      for (int i = 0; i < bytes; i++) {
        packed[at + i] = (byte) (value >>> (Byte.SIZE * (bytes - 1 - i)));
      }
      return at + bytes;
    }

    private long get(int at, int bytes) {
      long value = 0;
      for (int i = 0; i < bytes; i++) {
        value = (value << Byte.SIZE) | Byte.toUnsignedInt(counts[at + i]);
      }
      return value;
    }

    /** Receives one cause. */
    interface Reader {
      void cause(long id, long items, long lastSeen);
    }

    void forEach(Reader reader) {
      for (int at = 0; at < counts.length; at += SIZE) {
        reader.cause(
            get(at, ID), get(at + ID, Integer.BYTES), get(at + ID + Integer.BYTES, Integer.BYTES));
      }
    }
  }
}
