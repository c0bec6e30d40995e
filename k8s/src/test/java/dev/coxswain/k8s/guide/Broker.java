// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import java.util.function.Consumer;

/** The client of a message broker. */
interface Broker {
  Subscription subscribe(Consumer<Message> listener);

  boolean isConnected();

  /** A message about an object. */
  record Message(String namespace, String name) {}

  /** Delivers messages until it is closed. */
  interface Subscription {
    void close();
  }
}
