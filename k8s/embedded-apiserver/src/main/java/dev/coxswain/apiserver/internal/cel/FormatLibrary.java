// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static dev.cel.common.types.SimpleType.STRING;
import static dev.coxswain.apiserver.internal.cel.OpaqueTypes.FORMAT;

import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.coxswain.apiserver.internal.status.Formats;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Named formats of texts; any thread. */
final class FormatLibrary {
  private static final Map<String, NamedFormat> FORMATS = new LinkedHashMap<>();

  static {
    add("dns1123Label", Names::label);
    add("dns1123Subdomain", Names::subdomain);
    add("dns1035Label", Names::label1035);
    add("qualifiedName", Names::qualified);
    add("dns1123LabelPrefix", text -> Names.label(prefix(text)));
    add("dns1123SubdomainPrefix", text -> Names.subdomain(prefix(text)));
    add("dns1035LabelPrefix", text -> Names.label1035(prefix(text)));
    add("labelValue", Names::labelValue);
    add("uri", text -> known("uri", text));
    add("uuid", text -> known("uuid", text));
    add("byte", text -> known("byte", text));
    add("date", text -> known("date", text));
    add("datetime", text -> known("datetime", text));
  }

  /** A format; {@code check} returns what is wrong with a text. */
  record NamedFormat(String name, Function<String, List<String>> check) {}

  private FormatLibrary() {}

  private static void add(String name, Function<String, List<String>> check) {
    FORMATS.put(name, new NamedFormat(name, check));
  }

  /** A name whose end is still to come may end with a dash. */
  private static String prefix(String text) {
    return text.length() > 1 && text.endsWith("-")
        ? text.substring(0, text.length() - 2) + "a"
        : text;
  }

  private static List<String> known(String format, String text) {
    return Formats.valid(format, text) ? List.of() : List.of("invalid " + format);
  }

  static void addTo(CelLibrary library) {
    FORMATS.forEach(
        (name, format) -> library.function("format." + name, FORMAT, List.of(), a -> format));
    library.function(
        "format.named",
        OptionalType.create(FORMAT),
        List.of(STRING),
        a -> Optional.ofNullable(FORMATS.get((String) a[0])));
    library.method(
        "validate",
        OptionalType.create(ListType.create(STRING)),
        List.of(FORMAT, STRING),
        a -> {
          List<String> wrong = ((NamedFormat) a[0]).check.apply((String) a[1]);
          return wrong.isEmpty() ? Optional.empty() : Optional.of(wrong);
        });
  }
}
