// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The forms of names, keys and label values, with what is wrong in words; any thread. */
public final class Names {
  private static final String SUBDOMAIN =
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
  private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final String LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
  private static final String QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final String VALUE = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
  private static final Pattern SUBDOMAIN_PATTERN = Pattern.compile(SUBDOMAIN);
  private static final Pattern LABEL_PATTERN = Pattern.compile(LABEL);
  private static final Pattern LABEL_1035_PATTERN = Pattern.compile(LABEL_1035);
  private static final Pattern QUALIFIED_PATTERN = Pattern.compile(QUALIFIED);
  private static final Pattern VALUE_PATTERN = Pattern.compile(VALUE);

  private Names() {}

  /** An RFC 1123 subdomain, as most objects are named. */
  public static List<String> subdomain(String name) {
    return check(
        name,
        253,
        SUBDOMAIN_PATTERN,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
            + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '"
            + SUBDOMAIN
            + "')");
  }

  /** An RFC 1123 label, as namespaces are named. */
  public static List<String> label(String name) {
    if (name.length() <= 63
        && !LABEL_PATTERN.matcher(name).matches()
        && SUBDOMAIN_PATTERN.matcher(name).matches()) {
      return List.of("must not contain dots");
    }
    return check(
        name,
        63,
        LABEL_PATTERN,
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
            + " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '"
            + LABEL
            + "')");
  }

  /** An RFC 1035 label, as services and API versions are named. */
  public static List<String> label1035(String name) {
    return check(
        name,
        63,
        LABEL_1035_PATTERN,
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
            + " character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for"
            + " validation is '"
            + LABEL_1035
            + "')");
  }

  /** One step of a path, as roles are named. */
  public static List<String> pathSegment(String name) {
    if (name.equals(".") || name.equals("..")) {
      return List.of("may not be '" + name + "'");
    }
    List<String> problems = new ArrayList<>();
    for (String sign : List.of("/", "%")) {
      if (name.contains(sign)) {
        problems.add("may not contain '" + sign + "'");
      }
    }
    return problems;
  }

  /** A key of a label or annotation, or the name of a finalizer. */
  public static List<String> qualified(String key) {
    String[] parts = key.split("/", -1);
    String form =
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
            + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
            + " '"
            + QUALIFIED
            + "')";
    if (parts.length > 2) {
      return List.of(
          "a qualified name "
              + form
              + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    }
    List<String> problems = new ArrayList<>();
    if (parts.length == 2 && parts[0].isEmpty()) {
      problems.add("prefix part must be non-empty");
    } else if (parts.length == 2) {
      subdomain(parts[0]).forEach(p -> problems.add("prefix part " + p));
    }
    String name = parts[parts.length - 1];
    if (name.isEmpty()) {
      problems.add("name part must be non-empty");
    } else if (name.length() > 63) {
      problems.add("name part must be no more than 63 characters");
    }
    if (!QUALIFIED_PATTERN.matcher(name).matches()) {
      problems.add("name part " + form);
    }
    return problems;
  }

  /** The value of a label. */
  public static List<String> labelValue(String value) {
    return check(
        value,
        63,
        VALUE_PATTERN,
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
            + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex"
            + " used for validation is '"
            + VALUE
            + "')");
  }

  private static List<String> check(String text, int limit, Pattern form, String wrong) {
    List<String> problems = new ArrayList<>();
    if (text.length() > limit) {
      problems.add("must be no more than " + limit + " characters");
    }
    if (!form.matcher(text).matches()) {
      problems.add(wrong);
    }
    return problems;
  }
}
