// SPDX-License-Identifier: Apache-2.0
/** What is deployed: distribution, image, chart and pods with the rights of a service account. */
@NullMarked
package dev.coxswain.host.e2e.deployment;

import org.jspecify.annotations.NullMarked;
