// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Authenticator;
import dev.coxswain.admin.auth.Authorizer;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.k8s.auth.AccessReviews;
import dev.coxswain.k8s.auth.ResourceAttributes;
import dev.coxswain.k8s.auth.ReviewedUser;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Token and access reviews by the API server. Each review blocks a platform thread, since user code can
 * hold all carriers of virtual ones; the admin API bounds their number.
 *
 * <p>Thread rule: any thread.
 */
record KubernetesReviews(AccessReviews reviews, Clock clock) implements Authenticator, Authorizer {

  @Override
  public Future<Authentication> authenticate(String token) {
    return onThread(() ->
        reviews.user(token).map(user -> accepted(user, token)).orElseGet(Authentication::rejected));
  }

  private Authentication accepted(ReviewedUser user, String token) {
    Principal principal = new Principal(user.name(), user.uid(), user.groups(), user.extra());
    // The only decision on wall-clock time, in which tokens expire. It can only shorten the caching
    // of a decision.
    return AccessReviews.expiry(token)
        .map(end -> Authentication.accepted(principal, Duration.between(clock.instant(), end)))
        .orElseGet(() -> Authentication.accepted(principal));
  }

  @Override
  public Future<Boolean> authorize(Principal principal, AccessRequest wanted) {
    return onThread(() ->
        reviews.allowed(
            new ReviewedUser(
                principal.name(), principal.uid(), principal.groups(), principal.extra()),
            new ResourceAttributes(
                AccessRequest.GROUP,
                wanted.resource(),
                wanted.verb().label(),
                wanted.namespace(),
                wanted.name())));
  }

  private static <T> Future<T> onThread(Callable<T> question) {
    Promise<T> answer = Promise.promise();
    Thread.ofPlatform()
        .daemon()
        .name("access-review")
        .start(() -> {
          try {
            answer.complete(question.call());
          } catch (Exception | LinkageError e) {
            answer.fail(e);
          }
        });
    return answer.future();
  }
}
