// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.bucket.PoolReply;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Descriptions of failed requests to a pool. */
public final class PoolFailure {
  private PoolFailure() {}

  /** Thrown when the member does not run. */
  public static final class NotRunning extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public NotRunning(String why) {
      super(why);
    }
  }

  /** Returns whether a failed request has certainly changed nothing. */
  public static boolean isRefusal(@Nullable PoolReply reply, @Nullable Throwable error) {
    if (reply != null) {
      return true; // the owner has refused it
    }
    Throwable cause = cause(error);
    return cause instanceof NotRunning
        || (cause != null
            && cause.getClass().getSimpleName().equals("SplitBrainProtectionException"));
  }

  private static @Nullable Throwable cause(@Nullable Throwable error) {
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }

  public static String describe(@Nullable PoolReply reply, @Nullable Throwable error) {
    if (reply != null) {
      return switch (reply.status()) {
        case MINORITY -> "the pool's owner has no majority of the replicas";
        case VERSION -> "the pool's owner has another protocol version";
        case INVALID -> "the pool's owner refused the configuration";
        case NO_BACKUP -> "the pool has no backup yet on another replica";
        case DONE -> "the pool replied";
      };
    }
    Throwable cause = cause(error);
    if (cause == null) {
      return "the pool's reply has another protocol version";
    }
    if (cause instanceof NotRunning) {
      return String.valueOf(cause.getMessage());
    }
    return switch (cause.getClass().getSimpleName()) {
      case "SplitBrainProtectionException" -> "this replica has no majority of the replicas";
      case "IndeterminateOperationStateException" -> "a backup of the change was not acknowledged";
      default -> "the pool is unreachable (" + cause.getClass().getSimpleName() + ")";
    };
  }
}
