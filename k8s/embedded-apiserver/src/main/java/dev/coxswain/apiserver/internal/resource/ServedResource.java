// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.resource;

/**
 * A resource in the version that a request names; immutable.
 *
 * @param type the resource
 * @param version one of its versions
 */
public record ServedResource(ResourceType type, ResourceType.Version version) {
  /** Returns whether stored objects have to be converted by a webhook for this version. */
  public boolean converted() {
    ResourceType.Conversion conversion = type.conversion();
    return conversion != null && !conversion.stored().name().equals(version.name());
  }

  /** Returns {@code group/version} as objects name it. */
  public String apiVersion() {
    return type.apiVersion(version);
  }
}
