// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Objects;
import java.util.Optional;

/** Three classical bugs, each with its correction. */
final class SeededBugs {

  private SeededBugs() {}

  private static Request volumeOf(Request site) {
    return Request.of("default", site.name() + "-volume");
  }

  private static void ready(Request request, SiteController.Parts parts, String volume) {
    parts
        .writeSites()
        .modifyStatus(request, site -> site.setStatus(new Site.Status("Ready", volume)));
  }

  /** The name of a new volume is known only to the response and to the status that is written later. */
  static ControllerDefinition creationThatIsNotIdempotent() {
    return new SiteController() {
      @Override
      void reconcile(Request request, Site site, Parts parts) {
        if (site.status().volume() == null) {
          V1ConfigMap volume =
              parts
                  .writeVolumes()
                  .create(
                      parts.volume(site, new V1ObjectMeta().generateName(request.name() + "-")));
          ready(request, parts, parts.writeVolumes().key(volume).name());
        }
      }
    };
  }

  /** The volume has the name that follows from the site, so a second creation finds the first. */
  static ControllerDefinition idempotentCreation() {
    return new SiteController() {
      @Override
      void reconcile(Request request, Site site, Parts parts) {
        Request key = volumeOf(request);
        parts.makeVolume(site, key);
        ready(request, parts, key.name());
      }
    };
  }

  /** A site without replicas loses its volume, and what the users stored in it. */
  static ControllerDefinition deletionOnAStaleCache() {
    return new SiteController() {
      @Override
      void reconcile(Request request, Site site, Parts parts) {
        Request key = volumeOf(request);
        if (site.spec().replicas() == 0) {
          parts.writeVolumes().delete(key);
        } else {
          parts.makeVolume(site, key);
          ready(request, parts, key.name() + " " + site.spec().message());
        }
      }
    };
  }

  /** Before the deletion the site is read from the server, and only the volume that was seen is deleted. */
  static ControllerDefinition deletionOfWhatWasSeen() {
    return new SiteController() {
      @Override
      void reconcile(Request request, Site cached, Parts parts) {
        Request key = volumeOf(request);
        if (cached.spec().replicas() == 0) {
          Optional<V1ConfigMap> seen = parts.writeVolumes().get(key);
          boolean unused =
              parts.writeSites().get(request).filter(s -> s.spec().replicas() > 0).isEmpty();
          if (unused && seen.isPresent()) {
            V1ObjectMeta metadata = Objects.requireNonNull(seen.get().getMetadata());
            String uid = Objects.requireNonNull(metadata.getUid());
            parts.writeVolumes().delete(key, DeleteOptions.BACKGROUND.withUid(uid));
          }
        } else {
          parts.makeVolume(cached, key);
          ready(request, parts, key.name() + " " + cached.spec().message());
        }
      }
    };
  }

  /** The status is written only by the attempt that creates the volume. */
  static ControllerDefinition statusLostOnCrash() {
    return new SiteController() {
      @Override
      void reconcile(Request request, Site site, Parts parts) {
        Request key = volumeOf(request);
        if (parts.writeVolumes().get(key).isEmpty()) {
          parts.writeVolumes().create(parts.volume(site, new V1ObjectMeta().name(key.name())));
          ready(request, parts, key.name());
        }
      }
    };
  }

  /** The status is computed from what exists, by every attempt. */
  static ControllerDefinition statusOfWhatExists() {
    return idempotentCreation();
  }
}
