// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.internal.AccessException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The credentials of a plug-in, which runs on the first request, shortly before what it has issued
 * expires, and when the server refuses that. One run serves all requests that wait for it; while a
 * credential is still valid, its renewal holds up none.
 *
 * <p>Thread rule: any thread that may block. The plug-in runs on a thread of its own, which ends with
 * it; interrupting a request that waits does not end the run.
 */
final class ExecCredentials implements CredentialSource {

  /** Runs a plug-in. */
  interface Plugin {
    ExecCredential run() throws AccessException;
  }

  private static final Logger log = LoggerFactory.getLogger(ExecCredentials.class);

  /** Within this time after a failure the plug-in is not run again. */
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /** Within this time, credentials that the server has never accepted are renewed once. */
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(10);

  private final Plugin plugin;
  private final InstantSource time;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable ExecCredential issued;
  private @Nullable CompletableFuture<ExecCredential> run;
  private @Nullable AccessException failure;
  private @Nullable Instant failedAt;
  private @Nullable Instant refusedAt;

  /** The last credential that was accepted; only compared, so a late write does no harm. */
  private volatile @Nullable Credential accepted;

  ExecCredentials(Plugin plugin, InstantSource time) {
    this.plugin = plugin;
    this.time = time;
  }

  @Override
  public Credential current() throws AccessException {
    CompletableFuture<ExecCredential> awaited;
    lock.lock();
    try {
      Instant now = time.instant();
      ExecCredential known = issued;
      if (known != null && !known.isExpired(now)) {
        if (known.isOld(now) && !ExecCredential.within(failedAt, AFTER_FAILURE, now)) {
          var _ = begin(true); // no request waits for it
        }
        return known.credential();
      }
      awaited = beginUnlessFailed(now);
    } finally {
      lock.unlock();
    }
    return await(awaited);
  }

  @Override
  public @Nullable Credential renewed(Credential refused) throws AccessException {
    CompletableFuture<ExecCredential> awaited;
    lock.lock();
    try {
      Instant now = time.instant();
      ExecCredential known = issued;
      if (known != null && known.credential() != refused && !known.isExpired(now)) {
        return known.credential(); // another request has seen to it
      }
      if (run == null && accepted != refused) {
        if (ExecCredential.within(refusedAt, AFTER_REFUSAL, now)) {
          return null; // the server takes none of them, so another run would not help
        }
        refusedAt = now;
      }
      awaited = beginUnlessFailed(now);
    } finally {
      lock.unlock();
    }
    return await(awaited);
  }

  @Override
  public void accepted(Credential credential) {
    if (accepted != credential) {
      accepted = credential;
    }
  }

  /** The caller holds the lock. */
  private CompletableFuture<ExecCredential> beginUnlessFailed(Instant now) throws AccessException {
    AccessException last = failure;
    if (run == null && last != null && ExecCredential.within(failedAt, AFTER_FAILURE, now)) {
      throw new AccessException(String.valueOf(last.getMessage()));
    }
    return begin(false);
  }

  /**
   * Returns the running run, or a new one; the caller holds the lock.
   *
   * @param ahead whether no request waits for it, which would report its failure
   */
  private CompletableFuture<ExecCredential> begin(boolean ahead) {
    CompletableFuture<ExecCredential> running = run;
    if (running != null) {
      return running;
    }
    CompletableFuture<ExecCredential> begun = new CompletableFuture<>();
    run = begun;
    Thread.ofPlatform().daemon().name("coxswain-exec-plugin").start(() -> complete(begun, ahead));
    return begun;
  }

  private void complete(CompletableFuture<ExecCredential> begun, boolean ahead) {
    ExecCredential credential = null;
    Throwable cause = null;
    try {
      credential = plugin.run();
    } catch (AccessException | RuntimeException | Error e) {
      cause = e;
    }
    lock.lock();
    try {
      run = null;
      if (credential != null) {
        issued = credential;
        failure = null;
        failedAt = null;
      } else {
        failure = cause instanceof AccessException e ? e : new AccessException("exec: " + cause);
        failedAt = time.instant();
        log.atLevel(ahead ? Level.WARN : Level.DEBUG)
            .addKeyValue("cause", failure.getMessage())
            .log("credential plug-in failed");
      }
    } finally {
      lock.unlock();
    }
    if (credential != null) {
      begun.complete(credential);
    } else {
      begun.completeExceptionally(cause);
    }
  }

  private static Credential await(CompletableFuture<ExecCredential> run) throws AccessException {
    try {
      return run.get().credential();
    } catch (ExecutionException e) {
      throw new AccessException(
          e.getCause() instanceof AccessException known
              ? String.valueOf(known.getMessage())
              : "exec: " + e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AccessException("interrupted while the exec plug-in of the kubeconfig ran");
    }
  }
}
