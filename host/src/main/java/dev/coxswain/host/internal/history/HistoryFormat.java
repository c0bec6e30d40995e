// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.coxswain.admin.spi.HistoryStore.Entry;
import dev.coxswain.admin.spi.HistoryStore.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The form of the history in the data of a ConfigMap: {@code kind-version.milliseconds.run.number}
 * and, if the entry has one, {@code .group}. The time leads, so keys are in the order of their age.
 * A value has one entry in each line.
 *
 * <p>A key is written once, by one replica, and removed when there is too much: so replicas that
 * write at the same time lose nothing. Keys of another form, such as those of a newer version, are
 * neither read nor removed.
 *
 * <p>Thread rule: immutable.
 */
final class HistoryFormat {

  /** The longest entry; no audit record and hardly a part of an operation reaches it. */
  static final int MAX_ENTRY_BYTES = 16 * 1024;

  /** The longest value with several entries: what is removed at once. */
  private static final int MAX_VALUE_BYTES = 32 * 1024;

  private static final int VERSION = 1;

  private static final Pattern KEY =
      Pattern.compile(
          "(operation|audit|event)-"
              + VERSION
              + "\\.([0-9]{13})\\.([0-9a-f]{8})\\.([0-9]{8,18})(?:\\.([A-Za-z0-9-]{1,64}))?");

  private HistoryFormat() {}

  /**
   * How much of a kind is kept.
   *
   * @param count of groups, and of entries without one
   * @param bytes of the keys and values
   */
  record Bounds(int count, int bytes) {
    static Bounds of(Kind kind) {
      return switch (kind) {
        case OPERATION -> new Bounds(100, 256 * 1024);
        case AUDIT -> new Bounds(1_000, 256 * 1024);
        case EVENT -> new Bounds(500, 128 * 1024);
      };
    }

    Bounds half() {
      return new Bounds(count / 2, bytes / 2);
    }
  }

  /**
   * An entry that is to be stored.
   *
   * @param number its number in this run, from 1
   */
  record Numbered(Entry entry, long number) {}

  /** Returns whether an entry can be stored. */
  static boolean accepts(Entry entry) {
    return entry.json().getBytes(UTF_8).length <= MAX_ENTRY_BYTES
        && entry.json().indexOf('\n') < 0
        && KEY.matcher(key("00000000", new Numbered(entry, 1))).matches();
  }

  private static String key(String run, Numbered first) {
    Entry entry = first.entry();
    String key =
        "%s-%d.%013d.%s.%08d"
            .formatted(
                label(entry.kind()), VERSION, entry.at().toEpochMilli(), run, first.number());
    return entry.group().isEmpty() ? key : key + "." + entry.group();
  }

  private static String label(Kind kind) {
    return switch (kind) {
      case OPERATION -> "operation";
      case AUDIT -> "audit";
      case EVENT -> "event";
    };
  }

  private static Kind kind(String label) {
    return switch (label) {
      case "audit" -> Kind.AUDIT;
      case "event" -> Kind.EVENT;
      default -> Kind.OPERATION;
    };
  }

  /**
   * Returns values for entries; the same ones when called again.
   *
   * @param run the run of this process, 8 hexadecimal digits
   */
  static Map<String, String> values(String run, List<Numbered> entries) {
    Map<String, String> values = new TreeMap<>();
    Map<Kind, String> open = new HashMap<>(); // the key to which entries without a group are added
    for (Numbered next : entries) {
      Entry entry = next.entry();
      String key = entry.group().isEmpty() ? open.get(entry.kind()) : null;
      String before = key == null ? "" : values.getOrDefault(key, "");
      if (key == null || (before + entry.json()).getBytes(UTF_8).length > MAX_VALUE_BYTES) {
        key = key(run, next);
        before = "";
      }
      values.put(key, before + entry.json() + "\n");
      if (entry.group().isEmpty()) {
        open.put(entry.kind(), key);
      }
    }
    return values;
  }

  /**
   * Returns the data with more values, and without the oldest that are too many.
   *
   * @param half whether only half of the usual is kept
   */
  static Map<String, String> with(
      @Nullable Map<String, String> data, Map<String, String> more, boolean half) {
    Map<String, String> all = new TreeMap<>();
    if (data != null) {
      all.putAll(data);
    }
    all.putAll(more);
    for (Kind kind : Kind.values()) {
      Bounds bounds = Bounds.of(kind);
      remove(all, kind, half ? bounds.half() : bounds);
    }
    return all;
  }

  /** What is removed together. */
  private static final class Unit {
    final List<String> keys = new ArrayList<>();
    int count;
    int bytes;
  }

  private static void remove(Map<String, String> data, Kind kind, Bounds bounds) {
    Map<String, Unit> units = new HashMap<>();
    String label = label(kind);
    data.forEach((key, value) -> {
      Matcher form = KEY.matcher(key);
      if (key.startsWith(label) && form.matches()) {
        @Nullable String group = form.group(5);
        Unit unit = units.computeIfAbsent(group == null ? key : group, _ -> new Unit());
        unit.keys.add(key); // the last is the youngest
        unit.bytes += key.length() + value.getBytes(UTF_8).length;
        unit.count = group == null ? (int) value.lines().count() : 1;
      }
    });
    int count = 0;
    int bytes = 0;
    List<Unit> youngestFirst =
        units.values().stream()
            .sorted((a, b) -> b.keys.getLast().compareTo(a.keys.getLast()))
            .toList();
    for (Unit unit : youngestFirst) {
      count += unit.count;
      bytes += unit.bytes;
      if (count > bounds.count() || bytes > bounds.bytes()) {
        unit.keys.forEach(data::remove);
      }
    }
  }

  /** Returns the entries of the data, the oldest of each kind first. */
  static List<Entry> entries(@Nullable Map<String, String> data) {
    List<Entry> entries = new ArrayList<>();
    if (data == null) {
      return entries;
    }
    new TreeMap<>(data)
        .forEach((key, value) -> {
          Matcher form = KEY.matcher(key);
          if (form.matches()) {
            Kind kind = kind(form.group(1));
            Instant at = Instant.ofEpochMilli(Long.parseLong(form.group(2)));
            @Nullable String group = form.group(5);
            value
                .lines()
                .filter(line -> !line.isBlank())
                .forEach(
                    line -> entries.add(new Entry(kind, at, group == null ? "" : group, line)));
          }
        });
    return entries;
  }
}
