// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Represent;
import org.yaml.snakeyaml.representer.Representer;

/** JSON values as YAML. Loaded only for {@code -o yaml}. */
public final class Yaml {

  /**
   * Texts that are something else for a reader of YAML 1.1 or 1.2: {@code y} and {@code no} are booleans, {@code
   * 1e3}, {@code 0o7} and {@code 1:20} are numbers.
   */
  private static final Pattern AMBIGUOUS =
      Pattern.compile(
          "(?i)y|n|yes|no|on|off|true|false|null|~|=|<<"
              + "|[-+]?\\.(inf|nan)"
              + "|[-+]?(0x[0-9a-f_]+|0o?[0-7_]+|0b[01_]+)"
              + "|[-+]?([0-9][0-9_]*\\.?[0-9_]*|\\.[0-9][0-9_]*)(e[-+]?[0-9_]+)?"
              + "|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?"
              + "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t \\t].*)?");

  /** Characters that only an escape in double quotes keeps for each reader. */
  private static final Pattern UNSAFE =
      Pattern.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff\\ufffe\\uffff]");

  private Yaml() {}

  /** Returns a document. */
  public static String document(Json json) {
    return dump(json.value());
  }

  /** Returns an element of a list. */
  static String element(Json json) {
    return dump(List.of(Objects.requireNonNull(json.value())));
  }

  private static String dump(@Nullable Object value) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setSplitLines(false);
    options.setDereferenceAliases(true);
    return new org.yaml.snakeyaml.Yaml(new QuotingRepresenter(options), options).dump(value);
  }

  /** Go omits underscores in what begins like a number. */
  private static boolean isAmbiguous(String text) {
    return AMBIGUOUS.matcher(text).matches() || AMBIGUOUS.matcher(text.replace("_", "")).matches();
  }

  private static final class QuotingRepresenter extends Representer {
    QuotingRepresenter(DumperOptions options) {
      super(options);
      Represent plain = Objects.requireNonNull(representers.get(String.class), "of texts");
      representers.put(
          String.class,
          data -> {
            String text = (String) data;
            if (UNSAFE.matcher(text).find()) {
              return representScalar(Tag.STR, text, DumperOptions.ScalarStyle.DOUBLE_QUOTED);
            }
            return isAmbiguous(text)
                ? representScalar(Tag.STR, text, DumperOptions.ScalarStyle.SINGLE_QUOTED)
                : plain.representData(text);
          });
    }
  }
}
