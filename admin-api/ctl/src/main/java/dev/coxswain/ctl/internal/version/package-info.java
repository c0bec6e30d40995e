// SPDX-License-Identifier: Apache-2.0
/** {@code version}: the versions of the command line and of the replicas, and which differences are promised to work. */
@NullMarked
package dev.coxswain.ctl.internal.version;

import org.jspecify.annotations.NullMarked;
