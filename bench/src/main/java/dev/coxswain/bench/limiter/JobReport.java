// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What was found in one member, or in all of them together. Immutable; the arrays are not copied.
 *
 * @param grants how many were granted
 * @param seconds in how long
 * @param cpuNanos processor time of the whole process meanwhile
 * @param heldNanos how long calls to the limiter held up the event loop meanwhile
 * @param failed how many calls failed, from the start
 * @param waits of each grant, the nanoseconds from asking; when they are recorded
 * @param held of each grant, the nanoseconds that calls to the limiter held up the event loop
 * @param starts when each was granted, from the very first on, on the monotonic clock of the
 *     machine
 */
@SuppressWarnings("ArrayRecordComponent") // made once, read once, never compared
public record JobReport(
    long grants,
    double seconds,
    long cpuNanos,
    long heldNanos,
    long failed,
    long[] waits,
    long[] held,
    long[] starts) {

  String line() {
    return grants
        + ";"
        + seconds
        + ";"
        + cpuNanos
        + ";"
        + heldNanos
        + ";"
        + failed
        + ";"
        + text(waits)
        + ";"
        + text(held)
        + ";"
        + text(starts);
  }

  static JobReport parse(String line) {
    String[] parts = line.split(";", -1);
    return new JobReport(
        Long.parseLong(parts[0]),
        Double.parseDouble(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]),
        Long.parseLong(parts[4]),
        numbers(parts[5]),
        numbers(parts[6]),
        numbers(parts[7]));
  }

  /** Returns the report of all members together, each number list in ascending order. */
  static JobReport sum(List<JobReport> members) {
    return new JobReport(
        members.stream().mapToLong(JobReport::grants).sum(),
        members.stream().mapToDouble(JobReport::seconds).average().orElse(0),
        members.stream().mapToLong(JobReport::cpuNanos).sum(),
        members.stream().mapToLong(JobReport::heldNanos).sum(),
        members.stream().mapToLong(JobReport::failed).sum(),
        sorted(members.stream().flatMapToLong(member -> LongStream.of(member.waits))),
        sorted(members.stream().flatMapToLong(member -> LongStream.of(member.held))),
        sorted(members.stream().flatMapToLong(member -> LongStream.of(member.starts))));
  }

  /** Returns the value that a part of the ascending values does not exceed; NaN of none. */
  public static double percentile(long[] ascending, double part) {
    return ascending.length == 0
        ? Double.NaN
        : ascending[(int) Math.min(ascending.length - 1, Math.floor(part * ascending.length))];
  }

  private static long[] sorted(LongStream values) {
    return values.sorted().toArray();
  }

  private static String text(long[] values) {
    return Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  private static long[] numbers(String text) {
    return text.isEmpty()
        ? new long[0]
        : Arrays.stream(text.split(",", -1)).mapToLong(Long::parseLong).toArray();
  }
}
