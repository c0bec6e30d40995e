// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.configuration;

import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.admin.spi.ControllerDirectory;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.List;

/**
 * The configuration of each replica: it loads a file of its own. Confined to the admin event loop.
 */
public final class ClusterConfiguration {

  private final Cluster cluster;
  private final ControllerDirectory directory;

  public ClusterConfiguration(Cluster cluster, ControllerDirectory directory) {
    this.cluster = cluster;
    this.directory = directory;
  }

  /** Returns the configuration of each replica. */
  public Future<Response> list(RequestContext context) {
    return cluster
        .getAll(context, ClusterScope.take(context), this::own, ConfigurationList.class)
        .map(answers -> Response.ok(list(answers)));
  }

  /** Returns the list with the configuration of this replica only. */
  public Future<Response> own(RequestContext context) {
    context.query().done();
    return Future.succeededFuture(
        Response.ok(
            new ConfigurationList(
                directory.replica(), directory.configuration().stream().map(this::view).toList())));
  }

  private MergedValue list(List<PeerAnswer> answers) {
    return Cluster.marked(
        new ConfigurationList(
            null,
            Cluster.found(answers).stream()
                .sorted(Comparator.comparing(PeerAnswer::replica))
                .flatMap(answer -> answer.as(ConfigurationList.class).items().stream())
                .toList()),
        cluster.self(),
        answers);
  }

  private ConfigurationList.Configuration view(ConfigurationStatus status) {
    return new ConfigurationList.Configuration(
        "Configuration",
        directory.replica(),
        status.file(),
        status.state(),
        status.loadedAt(),
        status.changed(),
        status.restart(),
        status.settling(),
        status.errors(),
        status.rejectedAt(),
        status.reloads(),
        status.rejections());
  }
}
