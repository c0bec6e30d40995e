// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.josdk.website;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Publishes the page of each website. */
@ControllerConfiguration(name = "website", finalizerName = "example.com/cdn")
public class WebsiteReconciler implements Reconciler<Website>, Cleaner<Website> {

  private static final String BY_SECRET = "secret";

  private final Cdn cdn;

  /** Creates a reconciler. */
  public WebsiteReconciler(Cdn cdn) {
    this.cdn = cdn;
  }

  @Override
  public List<EventSource<?, Website>> prepareEventSources(EventSourceContext<Website> context) {
    context
        .getPrimaryCache()
        .addIndexer(
            BY_SECRET,
            site ->
                site.getSpec().secret() == null
                    ? List.of()
                    : List.of(site.getMetadata().getNamespace() + "/" + site.getSpec().secret()));
    var maps = InformerEventSourceConfiguration.from(ConfigMap.class, Website.class).build();
    var secrets =
        InformerEventSourceConfiguration.from(Secret.class, Website.class)
            .withSecondaryToPrimaryMapper(secret ->
                context
                    .getPrimaryCache()
                    .byIndex(
                        BY_SECRET,
                        secret.getMetadata().getNamespace() + "/" + secret.getMetadata().getName())
                    .stream()
                    .map(ResourceID::fromResource)
                    .collect(Collectors.toSet()))
            .build();
    return List.of(
        new InformerEventSource<>(maps, context), new InformerEventSource<>(secrets, context));
  }

  @Override
  public UpdateControl<Website> reconcile(Website website, Context<Website> context) {
    ConfigMap page =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace(website.getMetadata().getNamespace())
            .withName(website.getMetadata().getName())
            .endMetadata()
            .withData(Map.of("index.html", "<h1>" + website.getSpec().title() + "</h1>"))
            .build();
    page.addOwnerReference(website);
    context.getClient().resource(page).serverSideApply();
    if (isReady(website)) {
      return UpdateControl.<Website>noUpdate().rescheduleAfter(Duration.ofHours(1));
    }
    context.getClient().resource(published(website)).create();
    return UpdateControl.patchStatus(ready(website)).rescheduleAfter(Duration.ofHours(1));
  }

  @Override
  public DeleteControl cleanup(Website website, Context<Website> context) throws IOException {
    cdn.purge(website.getMetadata().getName());
    return DeleteControl.defaultDelete();
  }

  private static boolean isReady(Website website) {
    return website.getStatus() != null
        && website.getStatus().conditions().stream()
            .anyMatch(one -> one.getType().equals("Ready") && one.getStatus().equals("True"));
  }

  /** What is applied: the name, and the fields that belong to this controller. */
  private static Website ready(Website website) {
    Condition ready =
        new ConditionBuilder()
            .withType("Ready")
            .withStatus("True")
            .withReason("Published")
            .withMessage("")
            .withLastTransitionTime(Instant.now().toString())
            .build();
    Website applied = new Website();
    applied.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(website.getMetadata().getNamespace())
            .withName(website.getMetadata().getName())
            .build());
    applied.setStatus(new Website.Status(List.of(ready)));
    return applied;
  }

  private static Event published(Website website) {
    return new EventBuilder()
        .withNewMetadata()
        .withNamespace(website.getMetadata().getNamespace())
        .withGenerateName(website.getMetadata().getName() + "-")
        .endMetadata()
        .withRegarding(
            new ObjectReferenceBuilder()
                .withApiVersion(website.getApiVersion())
                .withKind(website.getKind())
                .withNamespace(website.getMetadata().getNamespace())
                .withName(website.getMetadata().getName())
                .withUid(website.getMetadata().getUid())
                .build())
        .withEventTime(new MicroTime(Instant.now().toString()))
        .withType("Normal")
        .withReason("Published")
        .withAction("Publish")
        .withNote("published " + website.getMetadata().getName())
        .withReportingController("example.com/website")
        .withReportingInstance("website-0")
        .build();
  }
}
