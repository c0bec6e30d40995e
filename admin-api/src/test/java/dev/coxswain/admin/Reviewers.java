// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Authenticator;
import dev.coxswain.admin.auth.Authorizer;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who is asked about tokens and rights, and writes down what was asked. A token {@code
 * good-X} stands for X. Everything is allowed but what was denied. Its time is set by the test.
 */
public final class Reviewers implements Authenticator, Authorizer, Clock {

  public final List<String> tokens = new CopyOnWriteArrayList<>();
  public final List<AccessRequest> rights = new CopyOnWriteArrayList<>();
  public final Set<AccessRequest> denied = ConcurrentHashMap.newKeySet();
  public final AtomicLong nanos = new AtomicLong();
  public volatile Duration lifetime = Duration.ofDays(1);
  public volatile boolean out;
  public volatile @Nullable Promise<Authentication> held;

  @Override
  public Future<Authentication> authenticate(String token) {
    tokens.add(token);
    Promise<Authentication> waiting = held;
    if (waiting != null) {
      return waiting.future();
    }
    if (out) {
      return Future.failedFuture(new IllegalStateException("no answer, secret internals"));
    }
    return Future.succeededFuture(
        token.startsWith("good-")
            ? Authentication.accepted(Principal.of(token.substring(5), "oncall"), lifetime)
            : Authentication.rejected());
  }

  @Override
  public Future<Boolean> authorize(Principal principal, AccessRequest wanted) {
    rights.add(wanted);
    return out
        ? Future.failedFuture(new IllegalStateException("no answer, secret internals"))
        : Future.succeededFuture(!denied.contains(wanted));
  }

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(nanos.get());
  }

  public void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  public AccessControl control(ReviewLimits limits) {
    return AccessControl.reviewed(
        "test", "ask the test for one", new AccessControl.Ports(this, this), limits);
  }

  public Api api() {
    return new Api(control(ReviewLimits.DEFAULT), this, options -> options);
  }
}
