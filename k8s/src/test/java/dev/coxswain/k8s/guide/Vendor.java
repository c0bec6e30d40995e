// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import java.io.IOException;
import java.time.Duration;

/** The API of a content delivery network. */
interface Vendor {
  void publish(String name, Duration limit) throws IOException;

  void withdraw(String name) throws IOException;
}
