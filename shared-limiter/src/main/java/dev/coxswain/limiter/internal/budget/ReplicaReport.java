// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report that a replica publishes every second, for display and for the worst window. No
 * decision on a permit uses it.
 *
 * <p>Thread rule: immutable.
 *
 * @param replica the name of the replica
 * @param sequence the number of the report; a report that does not change comes from a replica that
 *     has ended
 * @param limiters the limiters of the replica
 */
@SuppressWarnings("ArrayRecordComponent") // created once, read once, never compared
public record ReplicaReport(String replica, long sequence, List<OfLimiter> limiters) {
  static final byte VERSION = 2;

  /**
   * One limiter.
   *
   * @param name the name of the limiter
   * @param waiting how many retries wait on the replica
   * @param granted how many retries started on the replica
   * @param ownerHigh the id of the process to whose clock {@code offset} refers, upper half
   * @param ownerLow the lower half of that id
   * @param offset the clock of that process minus the replica's clock
   * @param error the largest error of the offset; negative when none is known
   * @param rate the largest rate in force at one of {@code starts}
   * @param burst the largest burst in force at one of them
   * @param starts the start times of the latest retries, by the replica's clock
   */
  public record OfLimiter(
      String name,
      int waiting,
      long granted,
      long ownerHigh,
      long ownerLow,
      long offset,
      long error,
      double rate,
      int burst,
      long[] starts) {}

  public byte[] encode() {
    byte[] id = replica.getBytes(StandardCharsets.UTF_8);
    int size = 1 + 4 + id.length + 8 + 4;
    List<byte[]> names = new ArrayList<>();
    for (OfLimiter limiter : limiters) {
      byte[] name = limiter.name().getBytes(StandardCharsets.UTF_8);
      names.add(name);
      size += 4 + name.length + 4 + 5 * 8 + 8 + 4 + 4 + limiter.starts().length * 8;
    }
    ByteBuffer out = ByteBuffer.allocate(size).put(VERSION);
    out.putInt(id.length).put(id).putLong(sequence).putInt(limiters.size());
    for (int i = 0; i < limiters.size(); i++) {
      OfLimiter limiter = limiters.get(i);
      out.putInt(names.get(i).length).put(names.get(i));
      out.putInt(limiter.waiting()).putLong(limiter.granted());
      out.putLong(limiter.ownerHigh()).putLong(limiter.ownerLow());
      out.putLong(limiter.offset()).putLong(limiter.error());
      out.putDouble(limiter.rate()).putInt(limiter.burst());
      out.putInt(limiter.starts().length);
      for (long start : limiter.starts()) {
        out.putLong(start);
      }
    }
    return out.array();
  }

  /** Returns the report in {@code bytes}, or null when it is of another version or damaged. */
  public static @Nullable ReplicaReport decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      if (in.get() != VERSION) {
        return null;
      }
      String replica = text(in);
      long sequence = in.getLong();
      int count = in.getInt();
      List<OfLimiter> limiters = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String name = text(in);
        int waiting = in.getInt();
        long granted = in.getLong();
        long high = in.getLong();
        long low = in.getLong();
        long offset = in.getLong();
        long error = in.getLong();
        double rate = in.getDouble();
        int burst = in.getInt();
        long[] starts = new long[checked(in.getInt(), StartLog.SIZE)];
        for (int j = 0; j < starts.length; j++) {
          starts[j] = in.getLong();
        }
        limiters.add(
            new OfLimiter(name, waiting, granted, high, low, offset, error, rate, burst, starts));
      }
      return new ReplicaReport(replica, sequence, limiters);
    } catch (java.nio.BufferUnderflowException | IllegalArgumentException e) {
      return null; // used for display only
    }
  }

  private static String text(ByteBuffer in) {
    byte[] text = new byte[checked(in.getInt(), 1_000)];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  private static int checked(int length, int most) {
    if (length < 0 || length > most) {
      throw new IllegalArgumentException("a length of " + length);
    }
    return length;
  }
}
