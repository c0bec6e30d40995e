// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import dev.coxswain.reconcile.Trigger;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/**
 * A sink of a process that owns all requests.
 *
 * <p>Thread rule: as that of the sink.
 */
record WholeSink<K>(EventSink<K> to) implements ShardedSink<K> {

  @Override
  public void add(K request, int priority, Trigger trigger) {
    to.add(request, priority, trigger);
  }

  @Override
  public void add(K request, int priority, Trigger trigger, Origin origin) {
    to.add(request, priority, trigger, origin);
  }

  @Override
  public void addAfter(K request, Duration delay, int priority, Trigger trigger) {
    to.addAfter(request, delay, priority, trigger);
  }

  @Override
  public void add(K request) {
    to.add(request);
  }

  @Override
  public Future<Boolean> offer(K request) {
    return to.offer(request);
  }

  @Override
  public Future<Boolean> offer(K request, String traceParent) {
    return to.offer(request, traceParent);
  }

  @Override
  public void forget(K request) {
    to.forget(request);
  }

  @Override
  public int pending() {
    return to.pending();
  }

  @Override
  public void userCodeFailed() {
    // The source has logged it; there is no counter.
  }

  @Override
  public boolean owns(K request) {
    return true;
  }

  @Override
  public Optional<String> otherOwner(K request) {
    return Optional.empty();
  }

  @Override
  public Optional<String> otherEndpoint(K request, String name) {
    return Optional.empty();
  }

  @Override
  public void announce(String name, String address) {
    // There is no other replica.
  }

  @Override
  public boolean isSharded() {
    return false;
  }

  @Override
  public String controller() {
    return "";
  }
}
