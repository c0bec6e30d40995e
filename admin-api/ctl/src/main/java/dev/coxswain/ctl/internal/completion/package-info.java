// SPDX-License-Identifier: Apache-2.0
/** What shells complete beyond the scripts for bash: names of objects, and the script for fish. */
@NullMarked
package dev.coxswain.ctl.internal.completion;

import org.jspecify.annotations.NullMarked;
