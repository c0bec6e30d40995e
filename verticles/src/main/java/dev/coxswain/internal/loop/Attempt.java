// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.history.HistoryEntry;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.thread.UserThreads;
import dev.coxswain.reconcile.AsyncReconciler;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.spi.AttemptSpan;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.view.FailurePattern;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One call of a reconciler, from its start until it has really ended. It returns to the event loop
 * through the inbox, exactly once.
 */
@SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
final class Attempt<K> extends Inbox.Node implements ReconcileContext {

  private final ReconcileLoop<K> owner;
  final Item<K> item;
  final long id;
  final long startedAt;

  /** The term of its slot; null when every replica runs the controller. */
  final @Nullable SlotTerm term;

  private final long epoch;

  private final int failures;
  private final Trigger trigger;
  private final @Nullable Origin origin;

  /** How long its request was ready, and waited for a token. */
  private final long ready;

  private final long token;

  /** Its span in a trace; null when it is not traced. Set before the reconciler is called. */
  private @Nullable AttemptSpan span;

  // Confined to the event loop.
  @Nullable Attempt<K> older;
  @Nullable Attempt<K> younger;
  boolean timedOut;
  boolean workerFreed;
  long timedOutAt;
  @Nullable FailurePattern timeoutPattern;

  /** The request as text, once it was needed; a race computes it twice. */
  private @Nullable String key;

  /** The outcome: written by the thread that ran the reconciler before it offers the attempt. */
  @Nullable Result result;

  @Nullable Failure failure;

  // The race this lock stops: a cancel on the event loop against the reconciler's thread beginning,
  // ending, or adding an action.
  private final Object lock = new Object();
  private @Nullable Thread thread;
  private boolean cancelled;
  private boolean ended;
  private boolean completed;
  private int writes;
  private @Nullable List<Runnable> onCancel;
  private @Nullable Map<String, Object> logFields;

  Attempt(
      ReconcileLoop<K> owner,
      Item<K> item,
      long id,
      long startedAt,
      @Nullable SlotTerm term,
      long epoch,
      long ready,
      long token) {
    this.owner = owner;
    this.item = item;
    this.id = id;
    this.startedAt = startedAt;
    this.term = term;
    this.epoch = epoch;
    this.failures = item.failures();
    this.trigger = item.trigger();
    this.origin = item.takeOrigin();
    this.ready = ready;
    this.token = token;
  }

  /** Returns the change that caused it, or null when there was none, or it is not known. */
  @Nullable Origin origin() {
    return origin;
  }

  HistoryEntry.Times times(long took) {
    return new HistoryEntry.Times(took, ready, token);
  }

  int writes() {
    synchronized (lock) {
      return writes;
    }
  }

  @Override
  public void written() {
    synchronized (lock) {
      writes++;
    }
  }

  /** Begins its trace; before the reconciler is called. */
  void begin(ControllerTelemetry telemetry) {
    if (telemetry.traces()) {
      span = telemetry.begin(item.key(), this);
    }
  }

  /** Ends its trace, once; on the event loop. */
  void endTrace(String how, @Nullable String error) {
    AttemptSpan begun = span;
    if (begun != null) {
      begun.end(how, error);
    }
  }

  /** Runs a blocking reconciler; on a thread of its own. */
  void runBlocking(Reconciler<K> reconciler) {
    UserThreads.run(
        new UserThreads.Attempt(this, startedAt),
        () -> CurrentAttempt.run(this, () -> runHere(reconciler)));
  }

  /** Calls an asynchronous reconciler; on the event loop. What it throws is thrown. */
  void runAsync(AsyncReconciler<K> reconciler) {
    CurrentAttempt.run(this, () -> watch(reconciler.reconcile(item.key(), this)));
  }

  @SuppressWarnings("Interruption") // clears the interrupt meant for the attempt that is over
  private void runHere(Reconciler<K> reconciler) {
    synchronized (lock) {
      thread = Thread.currentThread();
      if (cancelled) {
        thread.interrupt();
      }
    }
    Result returned = null;
    Throwable thrown = null;
    try {
      returned = reconciler.reconcile(item.key(), this);
    } catch (Throwable t) { // contained here, reported by the loop
      thrown = t;
    }
    synchronized (lock) {
      thread = null;
      ended = true;
    }
    Thread.interrupted();
    complete(returned, thrown);
  }

  private void watch(@Nullable Future<Result> future) {
    if (future == null) {
      complete(null, new NullPointerException("the reconciler returned null instead of a future"));
      return;
    }
    future.onComplete(done -> complete(done.result(), done.cause()));
  }

  void complete(@Nullable Result returned, @Nullable Throwable thrown) {
    synchronized (lock) {
      if (completed) {
        return; // a node of the inbox is handed over once, whatever user code does
      }
      completed = true;
      ended = true;
      onCancel = null;
    }
    result = returned;
    try {
      failure = thrown == null ? null : Failure.of(thrown, owner.identityOf(item.key()));
    } finally {
      owner.inbox().offer(this); // whatever user code does, or the item would be in flight for ever
    }
  }

  @Override
  public void process(long now) {
    owner.ended(this);
  }

  /** Cancels the attempt; on the event loop. Its actions run on a worker. */
  void cancel() {
    List<Runnable> actions;
    synchronized (lock) {
      if (cancelled || ended) {
        return;
      }
      cancelled = true;
      actions = onCancel == null ? List.of() : onCancel;
      onCancel = null;
      if (thread != null) {
        thread.interrupt();
      }
    }
    owner.cancelActions().run(actions);
  }

  /** Returns the frames of the reconciler's thread; none when it has no thread of its own. */
  StackTraceElement[] whereItIs() {
    Thread runs;
    synchronized (lock) {
      runs = thread;
    }
    return runs == null ? new StackTraceElement[0] : runs.getStackTrace();
  }

  @Override
  public String controller() {
    return owner.controllerName();
  }

  @Override
  public long attemptId() {
    return id;
  }

  @Override
  public String key() {
    String text = key;
    if (text == null) {
      key = ""; // toString is user code: when it logs, the line has no key, instead of for ever
      text = UserFailures.text(item.key());
      key = text;
    }
    return text;
  }

  @Override
  public String traceParent() {
    AttemptSpan begun = span;
    return begun == null ? "" : begun.traceParent();
  }

  @Override
  public int failures() {
    return failures;
  }

  @Override
  public Trigger trigger() {
    return trigger;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public int slot() {
    return term == null ? ReconcileContext.super.slot() : term.slot();
  }

  @Override
  public Duration timeLeft() {
    if (term == null) {
      return ReconcileContext.super.timeLeft();
    }
    synchronized (lock) {
      if (ended) {
        return Duration.ZERO; // a task that outlives its attempt must not write
      }
    }
    return term.timeLeft();
  }

  @Override
  public Duration untilDeadline() {
    return owner.untilDeadline(startedAt);
  }

  @Override
  public Map<String, Object> logFields() {
    Map<String, Object> fields = ReconcileContext.super.logFields();
    synchronized (lock) {
      if (logFields != null) {
        logFields.forEach(fields::putIfAbsent);
      }
    }
    return fields;
  }

  @Override
  public void addLogField(String name, Object value) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    boolean plain = value instanceof Number || value instanceof Boolean;
    // The text of another object is taken now: lines are written on other threads, and later.
    Object kept = plain ? value : UserFailures.text(value);
    synchronized (lock) {
      if (logFields == null) {
        logFields = new LinkedHashMap<>();
      }
      if (logFields.size() < MAX_LOG_FIELDS || logFields.containsKey(name)) {
        logFields.put(name, kept);
      }
    }
  }

  @Override
  public boolean isCancelled() {
    synchronized (lock) {
      return cancelled;
    }
  }

  @Override
  public void onCancel(Runnable action) {
    Objects.requireNonNull(action, "action");
    synchronized (lock) {
      if (ended) {
        return;
      }
      if (!cancelled) {
        if (onCancel == null) {
          onCancel = new ArrayList<>(1);
        }
        onCancel.add(action);
        return;
      }
    }
    owner.cancelActions().run(List.of(action));
  }
}
