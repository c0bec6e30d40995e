// SPDX-License-Identifier: Apache-2.0
/**
 * The options of the admin API: {@link dev.coxswain.admin.internal.options.AdminOptions} with its certificate
 * and the policy for changes, and the sink of notices of the cluster. All values are immutable and checked
 * when they are created.
 */
@NullMarked
package dev.coxswain.admin.internal.options;

import org.jspecify.annotations.NullMarked;
