// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.IOException;

/** The load generator: {@code <phase> <first object> <objects> <writes>} runs a phase. */
final class LoadPart implements Part {
  private final Load load;

  LoadPart(String url, int connections, int watchers) throws IOException {
    load = new Load(url, connections, watchers);
  }

  @Override
  public String ask(String command) throws IOException {
    String[] words = command.split(" ", -1);
    long cpu = ServerPart.processorNanos();
    int writes = Integer.parseInt(words[3]);
    Load.Figures figures =
        load.run(
            Phase.valueOf(words[0]),
            Integer.parseInt(words[1]),
            Integer.parseInt(words[2]),
            writes);
    double cpuMicros = (ServerPart.processorNanos() - cpu) / 1e3 / writes;
    return figures.perSecond()
        + " "
        + figures.p50Millis()
        + " "
        + figures.p99Millis()
        + " "
        + cpuMicros;
  }

  @Override
  public void close() throws IOException {
    load.close();
  }
}
