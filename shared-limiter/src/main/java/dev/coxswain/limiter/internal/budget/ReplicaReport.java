// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a replica tells the others once in a second, for display and for the worst window. Nothing
 * that decides on a permit depends on it.
 *
 * <p>Thread rule: immutable.
 *
 * @param replica the name of the replica
 * @param sequence grows with each report, so that one that stands still is recognized
 * @param limiters its limiters
 */
@SuppressWarnings("ArrayRecordComponent") // made once, read once, never compared
public record ReplicaReport(String replica, long sequence, List<OfLimiter> limiters) {
  static final byte VERSION = 2;

  /**
   * One limiter.
   *
   * @param name its name
   * @param waiting how many retries wait there
   * @param granted how many started there
   * @param ownerHigh the process whose clock {@code offset} leads to
   * @param ownerLow the other half of it
   * @param offset what must be added to the times to get those of that process
   * @param error by how much that may be wrong; negative when no offset is known
   * @param rate the largest rate in force at one of {@code starts}
   * @param burst the largest burst in force at one of them
   * @param starts when its latest retries started, by its own clock
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
      return null; // only shown, never decided upon
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
