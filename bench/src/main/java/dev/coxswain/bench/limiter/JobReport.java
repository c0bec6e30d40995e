// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import java.util.List;
import java.util.stream.LongStream;

/**
 * The figures of one member, or of all of them together. Immutable; the arrays are not copied.
 *
 * @param grants how many were granted
 * @param seconds in how long
 * @param cpuNanos processor time of the whole process meanwhile
 * @param heldNanos how long calls to the limiter held up the event loop meanwhile
 * @param failed how many calls failed, from the start
 * @param waits of each grant, the nanoseconds from its request; when they are recorded
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

  private static long[] sorted(LongStream values) {
    return values.sorted().toArray();
  }
}
