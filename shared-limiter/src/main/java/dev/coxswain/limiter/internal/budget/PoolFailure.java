// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.bucket.PoolReply;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Says in words why the pool gave nothing. */
public final class PoolFailure {
  private PoolFailure() {}

  /** The member does not run. */
  public static final class NotRunning extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public NotRunning(String why) {
      super(why);
    }
  }

  /** Returns whether a request that got no permission has changed nothing for certain. */
  public static boolean isRefusal(@Nullable PoolReply reply, @Nullable Throwable error) {
    if (reply != null) {
      return true; // the owner has looked at it
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
        case MINORITY -> "the pool's owner sees less than a majority of the replicas";
        case VERSION -> "the pool's owner speaks another version";
        case INVALID -> "the pool's owner does not accept the configuration";
        case DONE -> "the pool answered";
      };
    }
    Throwable cause = cause(error);
    if (cause == null) {
      return "the pool answers in another version";
    }
    if (cause instanceof NotRunning) {
      return String.valueOf(cause.getMessage());
    }
    return switch (cause.getClass().getSimpleName()) {
      case "SplitBrainProtectionException" ->
          "this replica sees less than a majority of the replicas";
      case "IndeterminateOperationStateException" ->
          "it is not certain that a second member has stored the change";
      default -> "the pool is not reached (" + cause.getClass().getSimpleName() + ")";
    };
  }
}
