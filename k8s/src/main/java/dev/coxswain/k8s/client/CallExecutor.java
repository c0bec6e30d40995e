// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import io.vertx.core.Context;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import okhttp3.Call;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Executes HTTP calls to one API server, and counts the answers.
 *
 * <p>Thread rule: any thread but an event loop.
 */
final class CallExecutor {

  private static final int SERVER_ERROR = 500;

  private final LongAdder answers;

  /** The last call, which may have ended. */
  private volatile @Nullable Call last;

  private volatile boolean cancelled;

  /** Creates an executor that counts from zero. */
  CallExecutor() {
    this(new LongAdder());
  }

  private CallExecutor(LongAdder answers) {
    this.answers = answers;
  }

  /** Returns an executor for calls of one thread, which counts the answers together with this one. */
  CallExecutor forOneThread() {
    return new CallExecutor(answers);
  }

  /** Ends the last call, also while its response is read, and every later one; any thread. */
  void cancel() {
    cancelled = true;
    Call call = last;
    if (call != null) {
      call.cancel();
    }
  }

  /** Returns how many calls the server has answered; a proxy may send a status of 500 or above. */
  long answers() {
    return answers.sum();
  }

  /** Counts a response to a call that was executed elsewhere. */
  void count(Response response) {
    if (response.code() < SERVER_ERROR) {
      answers.increment();
    }
  }

  /**
   * Executes a call and returns its response with any status.
   *
   * @throws ApiStatusException when there is no response
   * @throws dev.coxswain.reconcile.LostOwnershipException when a guard refuses it
   */
  Response execute(Call call) {
    last = call;
    if (cancelled) {
      call.cancel(); // cancel() may not have seen it
    }
    try {
      Response response = call.execute();
      count(response);
      return response;
    } catch (GuardedWrites.Refused e) {
      throw e.of(call.request().method(), call.request().url().encodedPath());
    } catch (IOException e) {
      throw ResponseReader.none(call.request(), e);
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        // Undeclared: the HTTP client is written in Kotlin.
        Thread.currentThread().interrupt();
      }
      // Includes exceptions of interceptors, and failures of credential plug-ins.
      throw ResponseReader.none(call.request(), e);
    }
  }

  static void refuseEventLoop() {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException(
          "a blocking Kubernetes call was made on a Vert.x event loop: use a blocking Reconciler, or"
              + " a virtual thread");
    }
  }
}
