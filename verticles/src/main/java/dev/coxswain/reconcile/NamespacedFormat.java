// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.util.Optional;
import java.util.regex.Pattern;

/** The format of {@link Request}. */
enum NamespacedFormat implements RequestFormat<Request> {
  INSTANCE;

  // A DNS subdomain; names of RBAC objects may also have colons.
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([a-z0-9:-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9:-]*[a-z0-9])?)*");
  private static final int MAX_NAME = 253;
  private static final int MAX_LABEL = 63;

  /** The form of the names of namespaces and clusters. */
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  @Override
  public String namespace(Request request) {
    return request.namespace();
  }

  @Override
  public String name(Request request) {
    return request.name();
  }

  @Override
  public Optional<String> impossible(String namespace, String name) {
    if (!namespace.isEmpty() && !LABEL.matcher(namespace).matches()) {
      return Optional.of(
          "is in no namespace that there can be: a namespace has at most "
              + MAX_LABEL
              + " lower case letters, digits and dashes, and begins and ends with a letter or digit");
    }
    String object = name.substring(name.indexOf('/') + 1);
    if (object.length() > MAX_NAME || !NAME.matcher(object).matches()) {
      return Optional.of(
          "is none that an object can have: at most "
              + MAX_NAME
              + " lower case letters, digits, dashes, dots and colons, beginning and ending with a"
              + " letter or digit");
    }
    String cluster = name.substring(0, Math.max(name.indexOf('/'), 0));
    if (name.indexOf('/') >= 0 && !LABEL.matcher(cluster).matches()) {
      return Optional.of("begins with \"" + cluster + "/\", which names no cluster");
    }
    return Optional.empty();
  }

  @Override
  public Optional<Request> parse(String namespace, String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(new Request(namespace, name));
  }
}
