// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to the calls, events and attempts of a run. The methods do nothing unusual
 * unless overridden.
 *
 * <p>Thread rule: on the thread of the test, {@link #call} and {@link #selector} on the thread of the
 * call.
 */
public class RunPolicy {

  /** Creates a policy that changes nothing. */
  public RunPolicy() {}

  /** Sends a request and returns the response. */
  @FunctionalInterface
  public interface Sender {
    /** Sends it now. */
    Response send() throws IOException;
  }

  /**
   * A reconciler sends a request.
   *
   * @return the response that it gets
   * @throws IOException when it gets none
   */
  public Response call(TestReplica replica, ApiCall call, Sender sender) throws IOException {
    return sender.send();
  }

  /** Returns how many of the events that wait in a watch are delivered now. */
  public int deliver(TestReplica replica, EventGate watch, int firstNumber) {
    return watch.waiting();
  }

  /** An attempt for a request, named with its controller, begins. */
  public void attemptBegins(String request) {}

  /** Returns whether an attempt is put off before its reconciler is called. */
  public boolean postpones(int attempt) {
    return false;
  }

  /** An attempt for a request of a namespace, empty for none, has ended. */
  public void attemptEnded(TestReplica replica, int attempt, String namespace, Runnable again) {}

  /**
   * Returns the namespaces whose requests the processes own, each a slot, with an empty text for requests without one: their
   * caches keep no other objects. Null, the default, for one slot that has everything.
   */
  public @Nullable Set<String> ownNamespaces() {
    return null;
  }

  /** Returns what the server receives of the selector of a watch; empty for none. */
  public String selector(String asked) {
    return asked;
  }

  /** Nothing is left to do at this time; returns whether something has been started. */
  public boolean quiet() {
    return false;
  }

  /**
   * A process has crashed; returns the versions at which the caches of the next one begin, by the names of
   * the clusters; empty for the newest.
   */
  public Map<String, Long> restartVersions() {
    return Map.of();
  }
}
