// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.extended.website;

import java.io.IOException;

/** What is purged before a website is gone. */
@FunctionalInterface
interface Cdn {
  void purge(String site) throws IOException;
}
