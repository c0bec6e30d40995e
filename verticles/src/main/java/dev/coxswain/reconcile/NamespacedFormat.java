// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.util.Optional;

/** The format of {@link Request}. */
enum NamespacedFormat implements RequestFormat<Request> {
  INSTANCE;

  @Override
  public String namespace(Request request) {
    return request.namespace();
  }

  @Override
  public String name(Request request) {
    return request.name();
  }

  @Override
  public Optional<Request> parse(String namespace, String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(new Request(namespace, name));
  }
}
