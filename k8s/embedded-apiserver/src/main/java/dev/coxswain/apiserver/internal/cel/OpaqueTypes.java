// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.coxswain.apiserver.internal.cel.AddressLibrary.Cidr;
import dev.coxswain.apiserver.internal.cel.AddressLibrary.Ip;

/** Types of values that only functions of the API server make; any thread. */
final class OpaqueTypes {
  static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");
  static final CelType URL = OpaqueType.create("kubernetes.URL");
  static final CelType IP = OpaqueType.create("net.IP");
  static final CelType CIDR = OpaqueType.create("net.CIDR");
  static final CelType SEMVER = OpaqueType.create("kubernetes.Semver");
  static final CelType FORMAT = OpaqueType.create("kubernetes.NamedFormat");

  private OpaqueTypes() {}

  /** Returns the class of the values of such a type. */
  static Class<?> classOf(CelType type) {
    return switch (type.name()) {
      case "kubernetes.Quantity" -> QuantityLibrary.Quantity.class;
      case "kubernetes.URL" -> UrlLibrary.Url.class;
      case "net.IP" -> Ip.class;
      case "net.CIDR" -> Cidr.class;
      case "kubernetes.Semver" -> VersionLibrary.Semver.class;
      case "kubernetes.NamedFormat" -> FormatLibrary.NamedFormat.class;
      default -> Object.class; // optional values
    };
  }
}
