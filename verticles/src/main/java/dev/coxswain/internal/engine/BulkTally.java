// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.internal.loop.Failure;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a {@link BulkAction}.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class BulkTally<K> {
  private static final int SAMPLES = 10;
  private static final int MAX_NAMESPACES = 20;

  /**
   * Items of further namespaces are matched but not counted by name, so that finding the largest
   * stays cheap.
   */
  private static final int MAX_COUNTED_NAMESPACES = 10_000;

  private final QueueReader<K> reader;
  private final long asOfSeq;
  private final Map<Phase, Integer> byPhase = new EnumMap<>(Phase.class);
  private final Map<String, Integer> byNamespace = new HashMap<>();
  private final Map<String, Integer> skipped = new HashMap<>();
  private final List<String> sample = new ArrayList<>();
  private int matched;
  private int changed;
  private int failed;
  private int relisted;
  private int notRelisted;
  private @Nullable String firstFailure;

  BulkTally(QueueReader<K> reader, long asOfSeq) {
    this.reader = reader;
    this.asOfSeq = asOfSeq;
  }

  /** Counts an item when it is found, before anything is changed. */
  void matched(Item<K> item) {
    matched++;
    byPhase.merge(item.phase(), 1, Integer::sum);
    String namespace = reader.namespaceOf(item.key());
    if (byNamespace.size() < MAX_COUNTED_NAMESPACES || byNamespace.containsKey(namespace)) {
      byNamespace.merge(namespace, 1, Integer::sum);
    }
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

  void failed(Throwable cause) {
    failed++;
    if (firstFailure == null) {
      firstFailure = Failure.of(cause).text();
    }
  }

  BulkProgress progress() {
    return new BulkProgress(matched, changed, skipped, failed, relisted, notRelisted);
  }

  BulkResult result(boolean dryRun, BulkResult.Ending ending) {
    return new BulkResult(
        dryRun, ending, progress(), firstFailure, byPhase, largestNamespaces(), sample, asOfSeq);
  }

  private Map<String, Integer> largestNamespaces() {
    Comparator<Map.Entry<String, Integer>> bySize = Map.Entry.comparingByValue();
    PriorityQueue<Map.Entry<String, Integer>> largest =
        new PriorityQueue<>(MAX_NAMESPACES + 1, bySize);
    for (Map.Entry<String, Integer> entry : byNamespace.entrySet()) {
      largest.add(entry);
      if (largest.size() > MAX_NAMESPACES) {
        largest.remove();
      }
    }
    Map<String, Integer> ordered = new LinkedHashMap<>();
    largest.stream()
        .sorted(bySize.reversed())
        .forEach(entry -> ordered.put(entry.getKey(), entry.getValue()));
    return ordered;
  }
}
