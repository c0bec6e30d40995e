// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.host.internal.dev.project;

import org.jspecify.annotations.NullMarked;
