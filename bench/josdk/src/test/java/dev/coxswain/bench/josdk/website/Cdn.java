// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.josdk.website;

import java.io.IOException;

/** A content delivery network, outside of the cluster. */
@FunctionalInterface
public interface Cdn {
  /** Removes a site. */
  void purge(String site) throws IOException;
}
