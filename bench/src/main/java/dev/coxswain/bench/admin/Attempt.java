// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.testing.process.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of one part while it runs, and of an equal time just before, without it.
 *
 * @param held each time that an event loop was held for more than five milliseconds, in words
 */
record Attempt(Map<Figure, Double> figures, List<String> held) {
  /** Waits for as long as the part goes on, and then has it go on. */
  static Attempt measure(Part part, List<Path> probes, int seconds) throws IOException {
    part.prepare();
    ProcessorTime atQuiet = ProcessorTime.now();
    long quiet = System.currentTimeMillis();
    Commands.pause(seconds * 1_000L);
    ProcessorTime atBegin = ProcessorTime.now();
    long begin = System.currentTimeMillis();
    Map<Figure, Double> answers = part.until(System.nanoTime() + seconds * 1_000_000_000L);
    ProcessorTime atEnd = ProcessorTime.now();
    long end = System.currentTimeMillis();
    Probes without = Probes.read(probes, quiet, begin);
    Probes with = Probes.read(probes, begin, end);

    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.STOLEN_WITHOUT, atBegin.stolenSince(atQuiet));
    figures.put(Figure.STOLEN_WITH, atEnd.stolenSince(atBegin));
    figures.putAll(without.figures(false));
    figures.putAll(with.figures(true));
    figures.put(Figure.CHANGE, (with.attemptsPerSecond() / without.attemptsPerSecond() - 1) * 100);
    figures.putAll(answers);
    figures.putAll(part.restore());

    List<String> held = new ArrayList<>();
    without.held().forEach(one -> held.add("without any call: " + one));
    with.held().forEach(one -> held.add("with calls: " + one));
    return new Attempt(figures, held);
  }

  double figure(Figure figure) {
    Double value = figures.get(figure);
    if (value == null) {
      throw new IllegalArgumentException("\"" + figure.label() + "\" is not of this part");
    }
    return value;
  }

  String text(Figure figure) {
    return figure.text(figure(figure));
  }

  /** Returns whether the machine took no more than this share, in percent, of either half. */
  boolean leftAlone(double most) {
    return figure(Figure.STOLEN_WITHOUT) <= most && figure(Figure.STOLEN_WITH) <= most;
  }
}
