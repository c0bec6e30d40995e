// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.thread;

import dev.coxswain.reconcile.ReconcileContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * The virtual threads of this process that run user code now, each with what it runs. They share the
 * carriers of the process: a thread that computes for long or blocks in native code holds one, and
 * this finds whose it is.
 *
 * <p>Thread rule: any thread.
 */
public final class UserThreads {

  private static final Map<Thread, Work> RUNNING = new ConcurrentHashMap<>();

  private UserThreads() {}

  /** What a thread runs. */
  public sealed interface Work {
    /** Returns the name of the controller; empty when it belongs to none. */
    String controller();
  }

  /**
   * An attempt of a controller.
   *
   * @param context its context
   * @param startedAt when it began, by the clock of its controller
   */
  public record Attempt(ReconcileContext context, long startedAt) implements Work {
    @Override
    public String controller() {
      return context.controller();
    }
  }

  /**
   * Code besides attempts, such as predicates and mappers of a source, or a webhook.
   *
   * @param controller the name of the controller; empty when it belongs to none
   */
  public record Other(String controller) implements Work {}

  /**
   * A virtual thread that has a carrier.
   *
   * @param thread the thread
   * @param work what it runs
   */
  public record Holder(Thread thread, Work work) {}

  /** Runs code on this thread, which is listed meanwhile if it is a virtual one. */
  public static void run(Work work, Runnable code) {
    Thread thread = Thread.currentThread();
    if (!thread.isVirtual()) {
      code.run();
      return;
    }
    RUNNING.put(thread, work);
    try {
      code.run();
    } finally {
      RUNNING.remove(thread);
    }
  }

  /**
   * Returns a factory of virtual threads for code besides attempts; each is listed while it runs.
   *
   * @param controller the name of the controller; empty when the code belongs to none
   */
  public static ThreadFactory of(String controller) {
    Work work = new Other(controller);
    return code -> Thread.ofVirtual().unstarted(() -> run(work, code));
  }

  /** Returns the threads that have a carrier now; in no order. */
  public static List<Holder> holders() {
    List<Holder> holders = new ArrayList<>();
    RUNNING.forEach((thread, work) -> {
      if (hasCarrier(thread)) {
        holders.add(new Holder(thread, work));
      }
    });
    return holders;
  }

  /**
   * Returns whether a virtual thread has a carrier. The JDK shows it only in the text of a thread,
   * {@code VirtualThread[#31,name]/runnable@carrier}; one that waits for a carrier is {@code
   * /runnable}, too.
   */
  private static boolean hasCarrier(Thread thread) {
    String text = thread.toString();
    return text.indexOf('@', text.lastIndexOf("]/") + 1) > 0;
  }
}
