// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.spi.LimiterOverrides;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Agrees to every override and does nothing. */
public final class NothingIsSet implements LimiterOverrides {
  @Override
  public Future<Void> set(
      String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl) {
    return Future.succeededFuture();
  }

  @Override
  public boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst) {
    return false;
  }

  @Override
  public Future<Void> clear(String limiter) {
    return Future.succeededFuture();
  }
}
