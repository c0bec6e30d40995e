// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The order of {@code get --sort-by}: by a field, as kubectl sorts. Numbers and times are compared
 * by value, digits in texts as numbers. Objects without the field come first; equal ones keep their
 * order.
 */
public final class SortBy {

  public static final Flag FLAG =
      Flag.of("--sort-by", "FIELD", "a field of their JSON, such as .failures or {.key.name}")
          .withChoices(
              List.of(
                  ".name",
                  ".state",
                  ".counts.ready",
                  ".counts.delayed",
                  ".failing",
                  ".startedAt",
                  ".key.namespace",
                  ".key.name",
                  ".phase",
                  ".failures",
                  ".readyAt",
                  ".lastErrorAt",
                  ".replica"));

  private static final Pattern DIGITS = Pattern.compile("0*(\\d+)");
  private static final int SHORTEST_TIME = "2026-11-20T10:00:00Z".length();

  private final FieldPath path;

  private SortBy(FieldPath path) {
    this.path = path;
  }

  /** Returns the order in the arguments, or null. */
  public static @Nullable SortBy of(Arguments arguments) {
    String text = arguments.value(FLAG);
    return text == null ? null : new SortBy(FieldPath.relaxed(text, "flag --sort-by"));
  }

  /**
   * Returns entries in the order of their objects.
   *
   * @param object returns the object of an entry
   * @param kind their kind, for messages
   */
  List<Json> sorted(List<Json> entries, UnaryOperator<Json> object, ResourceKind kind) {
    List<Keyed> keyed = new ArrayList<>();
    for (Json entry : entries) {
      keyed.add(new Keyed(key(at(object.apply(entry))), entry));
    }
    if (!keyed.isEmpty() && keyed.stream().allMatch(one -> one.key().equals(Key.MISSING))) {
      throw unknown(entries.stream().map(object).toList(), kind);
    }
    keyed.sort(Comparator.comparing(Keyed::key, ORDER));
    return keyed.stream().map(Keyed::entry).toList();
  }

  private Json at(Json object) {
    List<Object> values = path.values(object);
    if (values.size() > 1) {
      throw several();
    }
    return values.isEmpty() ? Json.MISSING : new Json(values.getFirst());
  }

  private CommandException several() {
    return new CommandException("flag --sort-by: " + path + " is not a single value");
  }

  private CommandException unknown(List<Json> objects, ResourceKind kind) {
    Set<String> present = new TreeSet<>();
    for (Json object : objects) {
      fields(object, "", present);
    }
    return new CommandException(
        "flag --sort-by: none of these %s has a field %s, %s"
            .formatted(kind.plural(), path, Suggestions.of(path.toString(), present)));
  }

  /** Collects the fields that objects can be sorted by. */
  private static void fields(Json object, String path, Set<String> found) {
    for (String name : object.names()) {
      Json value = object.get(name);
      if (value.isObject()) {
        fields(value, path + "." + name, found);
      } else if (value.isPresent() && !(value.value() instanceof List)) {
        found.add(path + "." + name);
      }
    }
  }

  /**
   * The sort key of an object.
   *
   * @param sort the sort of value; values of different sorts come in this order
   * @param number a number, the seconds of a time, or 1 for true
   */
  private record Key(int sort, BigDecimal number, String text) {

    static final Key MISSING = new Key(0, BigDecimal.ZERO, "");

    static Key of(boolean flag) {
      return new Key(1, flag ? BigDecimal.ONE : BigDecimal.ZERO, "");
    }

    static Key of(Number number) {
      return new Key(2, new BigDecimal(number.toString()), "");
    }

    static Key of(String text) {
      if (text.length() >= SHORTEST_TIME && text.charAt(10) == 'T' && text.endsWith("Z")) {
        try {
          Instant time = Instant.parse(text);
          return new Key(
              3,
              BigDecimal.valueOf(time.getEpochSecond()).add(BigDecimal.valueOf(time.getNano(), 9)),
              "");
        } catch (DateTimeParseException e) {
          // not a time
        }
      }
      String padded =
          DIGITS
              .matcher(text)
              .replaceAll(digits -> "%04d".formatted(digits.group(1).length()) + digits.group(1));
      return new Key(4, BigDecimal.ZERO, padded);
    }
  }

  private record Keyed(Key key, Json entry) {}

  private static final Comparator<Key> ORDER =
      Comparator.comparingInt(Key::sort).thenComparing(Key::number).thenComparing(Key::text);

  private Key key(Json value) {
    return switch (value.value()) {
      case null -> Key.MISSING;
      case Boolean flag -> Key.of(flag);
      case Number number -> Key.of(number);
      case String text -> Key.of(text);
      default -> throw several();
    };
  }
}
