// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.host.jvm;

import org.jspecify.annotations.NullMarked;
