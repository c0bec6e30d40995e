// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import java.io.IOException;
import okhttp3.Response;

/**
 * Decides what happens to the calls, events and attempts of a run. The methods do nothing unusual
 * unless overridden.
 *
 * <p>Thread rule: on the thread of the test, {@link #call} on the thread of the call.
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

  /** An attempt has ended. */
  public void attemptEnded(TestReplica replica, int attempt, Runnable again) {}

  /** Nothing is left to do at this time; returns whether something has been started. */
  public boolean quiet() {
    return false;
  }

  /** A process has crashed; returns the version at which the caches of the next one begin, 0 for the newest. */
  public long restartVersion() {
    return 0;
  }
}
