// SPDX-License-Identifier: Apache-2.0
/** Tests of the commands of the process. */
@NullMarked
package dev.coxswain.host.internal.cli;

import org.jspecify.annotations.NullMarked;
