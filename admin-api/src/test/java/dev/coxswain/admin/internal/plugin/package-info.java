// SPDX-License-Identifier: Apache-2.0
/** Tests of the routes of plug-ins. */
@NullMarked
package dev.coxswain.admin.internal.plugin;

import org.jspecify.annotations.NullMarked;
