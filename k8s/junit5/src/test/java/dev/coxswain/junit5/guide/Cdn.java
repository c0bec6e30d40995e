// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.guide;

import java.io.IOException;

/** A content delivery network, outside of the cluster. */
@FunctionalInterface
interface Cdn {
  void purge(String site) throws IOException;
}
