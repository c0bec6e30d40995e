// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.queue.Item;
import dev.coxswain.queue.Phase;
import dev.coxswain.queue.QueueReader;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what a {@link BulkAction} finds and does.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class BulkTally<K> {
  private static final int SAMPLES = 10;
  private static final int MAX_NAMESPACES = 20;

  private final QueueReader<K> reader;
  private final long asOfSeq;
  private final Map<Phase, Integer> byPhase = new EnumMap<>(Phase.class);
  private final Map<String, Integer> byNamespace = new HashMap<>();
  private final Map<String, Integer> skipped = new HashMap<>();
  private final List<String> sample = new ArrayList<>();
  private int matched;
  private int changed;
  private int relisted;
  private int notRelisted;

  BulkTally(QueueReader<K> reader, long asOfSeq) {
    this.reader = reader;
    this.asOfSeq = asOfSeq;
  }

  /** Counts an item when it is found, before anything is changed. */
  void matched(Item<K> item) {
    matched++;
    byPhase.merge(item.phase(), 1, Integer::sum);
    byNamespace.merge(reader.namespaceOf(item.key()), 1, Integer::sum);
    if (sample.size() < SAMPLES) {
      sample.add(reader.nameOf(item.key()));
    }
  }

  void relisted(boolean comesBack) {
    if (comesBack) {
      relisted++;
    } else {
      notRelisted++;
    }
  }

  void changed(boolean applied, String otherwise) {
    if (applied) {
      changed++;
    } else {
      skipped(otherwise);
    }
  }

  void skipped(String reason) {
    skipped.merge(reason, 1, Integer::sum);
  }

  BulkResult result(boolean dryRun, boolean aborted) {
    Map<String, Integer> largest = new LinkedHashMap<>();
    byNamespace.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(MAX_NAMESPACES)
        .forEach(entry -> largest.put(entry.getKey(), entry.getValue()));
    return new BulkResult(
        dryRun,
        aborted,
        matched,
        changed,
        skipped,
        relisted,
        notRelisted,
        byPhase,
        largest,
        sample,
        asOfSeq);
  }
}
