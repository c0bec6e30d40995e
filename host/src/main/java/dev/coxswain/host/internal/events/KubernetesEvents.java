// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.events;

import dev.coxswain.admin.internal.options.ClusterNotice;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Stores notices as Events about one object: the Deployment of the host, or its first replica Lease.
 *
 * <p>Thread rule: any thread that may block.
 */
public final class KubernetesEvents implements ClusterEventWriter.Target {

  private static final String REPORTER = "coxswain.dev/host";
  private static final int MAX_INSTANCE = 128;

  /** The API server counts bytes of UTF-8. */
  private static final int MAX_NOTE_BYTES = 1_024;

  private final Kubernetes kubernetes;
  private final String namespace;
  private final String lease;
  private final String deployment;
  private final String replica;

  /** The object with its uid, once it was read. */
  private volatile @Nullable V1ObjectReference regarding;

  /**
   * Creates the Events of a replica.
   *
   * @param namespace the namespace of the replica Leases
   * @param membership the beginning of the names of these Leases
   * @param deployment the name of the Deployment; empty for the first Lease
   * @param replica the name of this replica
   */
  KubernetesEvents(
      Kubernetes kubernetes,
      String namespace,
      String membership,
      String deployment,
      String replica) {
    this.kubernetes = kubernetes;
    this.namespace = namespace;
    this.lease = membership + "-replica-0";
    this.deployment = deployment;
    this.replica = replica.length() > MAX_INSTANCE ? replica.substring(0, MAX_INSTANCE) : replica;
  }

  /** Creates the Events of a replica with this configuration. */
  public static KubernetesEvents of(CoxswainConfiguration configuration, Kubernetes kubernetes) {
    return new KubernetesEvents(
        kubernetes,
        configuration.membership().namespace(),
        configuration.membership().name(),
        configuration.changes().events().deployment(),
        configuration.replicaName());
  }

  @Override
  public void write(ClusterNotice notice) {
    V1ObjectReference object = regarding();
    EventsV1Event event =
        new EventsV1Event()
            .metadata(
                new V1ObjectMeta()
                    .namespace(namespace)
                    .name(
                        object.getName()
                            + "."
                            + notice.reason().toLowerCase(Locale.ROOT)
                            + "."
                            + notice.id()))
            .eventTime(notice.at().atOffset(ZoneOffset.UTC))
            .regarding(object)
            .type(notice.warning() ? "Warning" : "Normal")
            .reason(notice.reason())
            .action("Observe")
            .note(cut(notice.note()))
            .reportingController(REPORTER)
            .reportingInstance(replica);
    kubernetes.resource(EventsV1Event.class).create(event);
  }

  /** Returns the beginning of a note, up to the length that the API server accepts. */
  private static String cut(String note) {
    CharBuffer rest = CharBuffer.wrap(note);
    // An encoder stops before a character that has no room.
    StandardCharsets.UTF_8
        .newEncoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .encode(rest, ByteBuffer.allocate(MAX_NOTE_BYTES), true);
    return note.substring(0, rest.position());
  }

  private V1ObjectReference regarding() {
    V1ObjectReference known = regarding;
    if (known != null) {
      return known;
    }
    boolean ofDeployment = !deployment.isEmpty();
    String name = ofDeployment ? deployment : lease;
    V1ObjectReference object =
        new V1ObjectReference()
            .apiVersion(ofDeployment ? "apps/v1" : "coordination.k8s.io/v1")
            .kind(ofDeployment ? "Deployment" : "Lease")
            .namespace(namespace)
            .name(name);
    // kubectl describe selects Events by the uid.
    String uid =
        uid(ofDeployment ? V1Deployment.class : V1Lease.class, Request.of(namespace, name));
    if (!uid.isEmpty()) {
      object.setUid(uid);
      regarding = object;
    }
    return object;
  }

  /** Returns the uid; empty for an object that is not there, or that may not be read. */
  private String uid(Class<? extends KubernetesObject> type, Request key) {
    try {
      return kubernetes
          .resource(type)
          .get(key)
          .map(object -> object.getMetadata().getUid())
          .orElse("");
    } catch (ApiStatusException e) {
      return "";
    }
  }
}
