// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.josdk.website;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A website. */
@Group("example.com")
@Version("v1")
public class Website extends CustomResource<Website.Spec, Website.Status> implements Namespaced {
  private static final long serialVersionUID = 1;

  /** Creates an empty object; called by the client. */
  public Website() {}

  /** The desired state. */
  public record Spec(String title, @Nullable String secret) {}

  /** The observed state. */
  public record Status(List<Condition> conditions) {}
}
