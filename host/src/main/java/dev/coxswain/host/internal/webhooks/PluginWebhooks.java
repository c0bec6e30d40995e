// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.webhook.Webhooks;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * The webhooks of plug-ins, which are served and registered beside those of the class path, and
 * change while the host runs.
 *
 * <p>Thread rule: any thread.
 */
public final class PluginWebhooks {

  /** How long a plug-in waits for the registration of its webhooks; it goes on without waiting. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final WebhookComponent component;
  private final WebhookDirectory directory;
  private final WebhookDeclarations declarations;
  private volatile BooleanSupplier known = () -> true;

  PluginWebhooks(
      WebhookComponent component, WebhookDirectory directory, WebhookDeclarations declarations) {
    this.component = component;
    this.directory = directory;
    this.declarations = declarations;
  }

  /**
   * Sets what decides whether all plug-ins are known, so that configurations which none of them
   * declares are no longer needed.
   */
  public void knownBy(BooleanSupplier all) {
    known = all;
  }

  boolean areKnown() {
    return known.getAsBoolean();
  }

  /**
   * Builds the webhooks of definitions by controller. Calls code of the plug-in, which may block.
   *
   * @throws HostException when some cannot be built
   */
  public Map<String, Webhooks> declared(Collection<ControllerDefinition> definitions)
      throws HostException {
    return declarations.of(definitions);
  }

  /** Returns why a plug-in cannot have webhooks instead of its present ones; empty when it can. */
  public String clash(String plugin, Map<String, Webhooks> next) {
    return directory.clash(plugin, next);
  }

  /** Returns a number that is another one when a clash may have gone. */
  public long version() {
    return directory.version();
  }

  /**
   * Calls the next webhooks of a plug-in instead of its present ones, if the server listens. There is
   * no moment without the ones or the others.
   *
   * @param next the webhooks by controller
   * @param forgotten whether the configurations of those that it has no more are deleted
   * @return why it has the present ones; empty when it has the next ones
   */
  public String replace(String plugin, Map<String, Webhooks> next, boolean forgotten) {
    long before = directory.version();
    String clash = directory.replace(plugin, next, forgotten);
    if (directory.version() != before) {
      component.registration().checkSoon();
    }
    return clash;
  }

  /**
   * Serves the webhooks of a plug-in, with those of others.
   *
   * @param next the webhooks by controller
   * @return completes when they are served and registered, or after some seconds when they cannot be
   *     registered yet, which is repeated; fails when they cannot be served
   */
  public Future<Void> serve(String plugin, Map<String, Webhooks> next) {
    String clash = replace(plugin, next, true);
    if (!clash.isEmpty()) {
      return Future.failedFuture(new HostException(clash));
    }
    return next.isEmpty()
        ? Future.succeededFuture()
        : component
            .serveNow()
            .<Void>mapEmpty()
            .timeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
            .recover(e ->
                e instanceof TimeoutException ? Future.succeededFuture() : Future.failedFuture(e));
  }

  /** Returns why webhooks of controllers are not registered; empty when they are, or have none. */
  public String problem(Collection<String> controllers) {
    return component.registration().problem(controllers);
  }
}
