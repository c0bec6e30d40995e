// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.limiter;

import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.limiter.internal.OverrideFailedException;
import dev.coxswain.limiter.internal.member.LimiterMember;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Overrides of shared limiters for the admin API.
 *
 * @param configured the configured limiters, by name
 */
record SharedOverrides(LimiterMember member, Supplier<Map<String, Limiter>> configured)
    implements LimiterOverrides {

  @Override
  public Future<Void> set(
      String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl) {
    Limiter base = configured.get().get(limiter);
    if (base == null) {
      return Future.failedFuture(
          new IllegalArgumentException("limiters." + limiter + ": no such limiter"));
    }
    return explained(
        member.override(
            limiter, rate == null ? base.rate() : rate, burst == null ? base.burst() : burst, ttl));
  }

  @Override
  public boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst) {
    Limiter base = configured.get().get(limiter);
    return base != null
        && ((rate != null && rate > base.rate()) || (burst != null && burst > base.burst()));
  }

  @Override
  public Future<Void> clear(String limiter) {
    return explained(member.clearOverride(limiter));
  }

  private static Future<Void> explained(Future<Void> change) {
    return change.recover(failure ->
        Future.failedFuture(
            failure instanceof OverrideFailedException failed && failed.nothingChanged()
                ? new NoQuorumException(String.valueOf(failed.getMessage()))
                : failure));
  }
}
