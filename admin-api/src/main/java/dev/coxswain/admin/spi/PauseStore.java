// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.FailurePattern;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stores the pauses of controllers, and of causes of failures, for all replicas; they survive a
 * restart.
 *
 * <p>Thread rule: called on the admin API's event loop, where the futures complete; no method
 * blocks. A future fails when the pause was not stored, or when that is unknown; all replicas
 * follow the stored state.
 */
public interface PauseStore {

  /**
   * Stores a pause, which replaces the one of the controller; one that {@linkplain Pause#isAs is
   * as} the stored one leaves it as it is. Returns the pause that was stored before, if any.
   */
  Future<Optional<Pause>> pause(String controller, Pause pause);

  /** Removes the pause of a controller, and returns it, if it has one. */
  Future<Optional<Pause>> resume(String controller);

  /**
   * Stores a pause of a cause of a controller's failures, which replaces the one it has, as {@link
   * #pause} does. Returns the pause of that cause that was stored before, if any.
   */
  Future<Optional<Pause>> pauseCause(String controller, FailurePattern cause, Pause pause);

  /**
   * Removes the pause of a cause, and returns it, if it has one.
   *
   * @param cause the name of the cause, see {@link FailurePattern#id}
   */
  Future<Optional<Pause>> resumeCause(String controller, String cause);

  /**
   * Replaces a pause, or none, by the one that was there before a change, if the stored state is still
   * what that change has left. Fails with {@link ChangedException} when it is not, and nothing was
   * changed.
   */
  Future<Void> restore(Restoration restoration);

  /**
   * A state to restore.
   *
   * <p>Thread rule: immutable.
   *
   * @param cause the name of the cause that is paused; null for the whole controller
   * @param pattern what the failures of the cause have in common; null when no pause of it is restored
   * @param expected the pause that is stored now; null for none
   * @param pause the pause to store; null for none
   */
  record Restoration(
      String controller,
      @Nullable String cause,
      @Nullable FailurePattern pattern,
      @Nullable Pause expected,
      @Nullable Pause pause) {}

  /**
   * The stored state is not the expected one.
   *
   * <p>Thread rule: immutable.
   */
  final class ChangedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient @Nullable Pause stored;

    /**
     * Creates the exception.
     *
     * @param stored the stored pause; null for none
     */
    public ChangedException(@Nullable Pause stored) {
      super("another pause is stored, or none", null, false, false);
      this.stored = stored;
    }

    /** Returns the stored pause; null for none. */
    public @Nullable Pause stored() {
      return stored;
    }
  }

  /**
   * Applies the stored state to a controller of this replica; another replica may have changed it
   * since the last write of this one. Completes when it is applied.
   */
  Future<Void> follow(ControllerHandle controller);

  /** A pause that is not stored because there are too many; the message has the limit. */
  final class LimitException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public LimitException(String message) {
      super(message);
    }
  }

  /**
   * A pause.
   *
   * <p>Thread rule: immutable.
   *
   * @param reason the reason
   * @param actor the caller who paused it
   * @param since its beginning
   * @param until its end by the clock of each replica, or null for none
   */
  record Pause(String reason, String actor, Instant since, @Nullable Instant until) {

    /** Returns whether another pause holds for the same reason, and neither has an end. */
    public boolean isAs(Pause other) {
      return until == null && other.until == null && reason.equals(other.reason);
    }

    /** Returns it as each replica applies and shows it: with these times, not with those of its own clock. */
    public ControllerStatus.Pause status() {
      return new ControllerStatus.Pause(reason, actor, since, until);
    }
  }
}
