// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Adds the object of each message of a broker. */
final class Messages implements EventSource<Request> {

  private final Broker broker;
  private Broker.@Nullable Subscription subscription;

  Messages(Broker broker) {
    this.broker = broker;
  }

  @Override
  public String describe() {
    return "messages";
  }

  @Override
  public Future<Void> start(EventSink<Request> sink) {
    subscription =
        broker.subscribe(message ->
            sink.add(
                Request.of(message.namespace(), message.name()),
                EventSink.PRIORITY_NORMAL,
                Trigger.EVENT));
    return Future.succeededFuture(); // nothing has to be delivered before the first attempt
  }

  @Override
  public Future<Void> stop() {
    if (subscription != null) {
      subscription.close();
    }
    return Future.succeededFuture();
  }

  @Override
  public Optional<String> problem() {
    return broker.isConnected() ? Optional.empty() : Optional.of("the broker is not connected");
  }
}
