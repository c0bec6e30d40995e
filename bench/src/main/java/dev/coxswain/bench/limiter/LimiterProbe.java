// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import dev.coxswain.testing.report.RecordCodec;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A member in a process of its own: {@code LimiterProbe <way> <ordinal> <port,port...>} prints that it is ready when all have joined, then answers each {@link JobRun.Job} that it reads with a {@link
 * JobReport}, and ends with its standard input.
 */
public final class LimiterProbe {
  static final String READY = "ready";

  private LimiterProbe() {}

  public static void main(String[] args) throws IOException {
    List<Integer> ports = Arrays.stream(args[2].split(",")).map(Integer::parseInt).toList();
    LimiterSubject.Place place = new LimiterSubject.Place(Integer.parseInt(args[1]), ports);
    Loop loop = Loop.create(Vertx.vertx());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    LimiterSubject subject = LimiterSubject.start(args[0], loop, place);
    System.out.println(READY);
    String line = in.readLine();
    while (line != null) {
      System.out.println(
          RecordCodec.line(
              JobRun.of(subject, loop, place, RecordCodec.parse(JobRun.Job.class, line))));
      line = in.readLine();
    }
    Runtime.getRuntime().halt(0); // the cluster has no more use: none of it need be handed over
  }
}
